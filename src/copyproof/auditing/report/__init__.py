"""The report of an audit: its figure, its words, and its page."""

from copyproof.auditing.report.figure import plot_gains
from copyproof.auditing.report.page import write_audit_report

__all__ = ["plot_gains", "write_audit_report"]
