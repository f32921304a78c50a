"""How much a metric's alignment depends on the decisions it is compared with.

Decisions are drawn from the published priors moved slightly, strongly and extremely (Schneider et al. 2026, Appendix
J.3), and alignment is mapped over all Beta priors of a decision family: exact expected utilities cost no draws.
"""
