"""Logs to a study, a study to tables, plots and reports."""

from askew.decide.log_comparison import compare_logs as compare_logs
from askew.logs.tables import observation_columns as observation_columns
from askew.report.card import write_cards as write_cards
from askew.report.exchange import read_exchange as read_exchange
from askew.report.exchange import write_exchange as write_exchange
from askew.report.report import export_charts as export_charts
from askew.report.report import write_report as write_report
from askew.report.study import Study as Study
from askew.report.study import read_observations as read_observations
from askew.report.study import summarize as summarize
from askew.report.study import write_observations as write_observations
