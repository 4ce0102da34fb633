"""The reports of audits and attacks: their figures, their words, and their page."""

from copyproof.auditing.report.figure import plot_gains
from copyproof.auditing.report.identity_price import plot_identity_price
from copyproof.auditing.report.page import write_audit_report

__all__ = ["plot_gains", "plot_identity_price", "write_audit_report"]
