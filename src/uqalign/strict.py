"""A section of a configuration that accepts nothing it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from uqalign.registry import did_you_mean


class Strict(BaseModel):
    """Base of all sections: frozen, and an unknown key is answered with the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            for key in values:
                if key not in cls.model_fields:
                    raise ValueError(f"unknown key {key!r}: {did_you_mean(str(key), cls.model_fields)}")
        return values
