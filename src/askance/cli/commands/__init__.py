"""What each command does: `bodies.traces` is the module of `askance trace`, imported when it is first
asked for. `askance --help` pays for none of them."""
# ruff: noqa: PLC0415, ANN202 - the modules themselves, whose names say what they are

from __future__ import annotations


class _Bodies:
    """The bodies of the commands, by their modules."""

    @property
    def asking(self):
        from askance.cli.commands import asking

        return asking

    @property
    def demo(self):
        from askance.cli.commands import demo

        return demo

    @property
    def doctor(self):
        from askance.cli.commands import doctor

        return doctor

    @property
    def evaluate(self):
        from askance.cli.commands import evaluate

        return evaluate

    @property
    def evidence(self):
        from askance.cli.commands import evidence

        return evidence

    @property
    def history_view(self):
        from askance.cli.commands import history_view

        return history_view

    @property
    def library(self):
        from askance.cli.commands import library

        return library

    @property
    def library_adding(self):
        from askance.cli.commands import library_adding

        return library_adding

    @property
    def library_history(self):
        from askance.cli.commands import library_history

        return library_history

    @property
    def library_watching(self):
        from askance.cli.commands import library_watching

        return library_watching

    @property
    def library_embedding(self):
        from askance.cli.commands import library_embedding

        return library_embedding

    @property
    def library_searching(self):
        from askance.cli.commands import library_searching

        return library_searching

    @property
    def library_moving(self):
        from askance.cli.commands import library_moving

        return library_moving

    @property
    def reading(self):
        from askance.cli.commands import reading

        return reading

    @property
    def server(self):
        from askance.cli.commands import server

        return server

    @property
    def services(self):
        from askance.cli.commands import services

        return services

    @property
    def settings(self):
        from askance.cli.commands import settings

        return settings

    @property
    def stats(self):
        from askance.cli.commands import stats

        return stats

    @property
    def storage(self):
        from askance.cli.commands import storage

        return storage

    @property
    def toggle(self):
        from askance.cli.commands import toggle

        return toggle

    @property
    def traces(self):
        from askance.cli.commands import traces

        return traces


bodies = _Bodies()
