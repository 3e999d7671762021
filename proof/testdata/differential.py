"""Compares the calendar of techo with dateutil, recurring_ical_events and icalendar.

  python -m pip install python-dateutil recurring-ical-events icalendar
  python differential.py ./techo --seed 1 --rules 3000 --series 3000 --messages 300

Each difference is printed with the lines of its event; the exit status is 1 if there are any. dateutil
reads an ordinal beside a plain weekday wrongly in one period (FREQ=MONTHLY;BYDAY=-1MO,FR has all
Fridays): such rules are not generated. recurring_ical_events measures lengths by the wall clock, so that
PT90M is half an hour or two and a half on the day of a change; RFC 5545 (3.3.6) means elapsed time. Such
lengths are counted, not compared. A change of all later occurrences that moves them to another day may have
no rule; techo then names a problem, which is counted too.
"""

import argparse
import collections
import datetime as dt
import json
import os
import random
import subprocess
import sys
import tempfile
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events
from dateutil import rrule

UTC = dt.timezone.utc
ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
FORM = "%Y%m%dT%H%M%S"


class Techo:
    """A store of techo in a temporary folder."""

    def __init__(self, program, folder):
        self.program, self.folder = os.path.abspath(program), folder
        self.env = {"PATH": os.environ["PATH"], "HOME": folder, "TECHO_TZ": "UTC", "TECHO_OUTPUT": "json",
                    "TECHO_NOW": "2026-01-01T00:00:00Z"}

    def call(self, *args, stdin=None):
        done = subprocess.run([self.program, *args, "--store", os.path.join(self.folder, "store")], input=stdin,
                              capture_output=True, env=self.env, text=True)
        if done.returncode:
            raise RuntimeError(f"{args}: {done.stdout}{done.stderr}")
        return done.stdout

    def add(self, calendar, body, method=""):
        text = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", *([f"METHOD:{method}"] if method else []),
                            *body, "END:VCALENDAR", ""])
        return json.loads(self.call("cal", "import", "-", "--calendar", calendar, stdin=text)), text

    def occurrences(self, calendar, first, last):
        """The start, length and title of what is in the calendar, by the UID of the series."""
        found = collections.defaultdict(list)
        day = first
        while day < last:
            end = min(day + dt.timedelta(days=60), last)
            out = json.loads(self.call("cal", "list", "--calendar", calendar, "--date-from", day.isoformat(),
                                       "--date-to", (end - dt.timedelta(days=1)).isoformat(), "--limit", "10000"))
            assert not out["truncated"]
            for e in out["events"]:
                if e["status"] == "cancelled":
                    continue
                start, stop = instant(e["start"]), instant(e["end"])
                if day <= start.date() < end:
                    uid = e["uid"].split("_R")[0]
                    found[uid].append((start.isoformat(), int((stop - start).total_seconds()), e["title"]))
            day = end
        return {uid: sorted(all) for uid, all in found.items()}


def instant(text):
    if len(text) == 10:
        return dt.datetime.fromisoformat(text).replace(tzinfo=UTC)
    return dt.datetime.fromisoformat(text).astimezone(UTC)


def random_rule(r, zone):
    freq = r.choice(["DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY"] + (["HOURLY"] if zone == "UTC" else []))
    parts = [f"FREQ={freq}", f"INTERVAL={r.choice([1, 1, 1, 2, 3])}"]
    some = lambda all, most: ",".join(str(x) for x in sorted(r.sample(all, r.randint(1, most))))
    if freq in ("MONTHLY", "YEARLY") and r.random() < 0.3:
        parts.append("BYDAY=" + r.choice(["1", "2", "3", "4", "-1", "-2"]) + r.choice(DAYS))
        if freq == "YEARLY":
            parts.append("BYMONTH=" + some(range(1, 13), 3))
    elif freq in ("MONTHLY", "YEARLY") and r.random() < 0.5:
        parts.append("BYMONTHDAY=" + some([*range(1, 32), -1, -2, -5], 3))
    elif r.random() < 0.5:
        parts.append("BYDAY=" + ",".join(r.sample(DAYS, r.randint(1, 4))))
        if freq == "MONTHLY" and r.random() < 0.6:
            parts.append(f"BYSETPOS={r.choice([1, 2, -1])}")
    if freq in ("DAILY", "WEEKLY") and r.random() < 0.2:
        parts.append("BYMONTH=" + some(range(1, 13), 6))
    if freq == "WEEKLY" and r.random() < 0.3:
        parts.append("WKST=" + r.choice(DAYS))
    if freq == "HOURLY":
        parts.append("BYHOUR=" + some(range(24), 3))
    if r.random() < 0.4:
        parts.append(f"COUNT={r.randint(1, 30)}")
    return ";".join(parts)


def start_of(rule, r):
    """A start that the rule has, or None: what a rule means whose start it lacks is not defined."""
    start = dt.datetime(2026, r.randint(1, 12), r.randint(1, 28), r.choice([0, 1, 2, 3, 9, 14, 23]), r.choice([0, 30]))
    for _ in range(5):
        try:
            first = next(iter(rrule.rrulestr(rule, dtstart=start)), None)
        except ValueError:  # no hour of the rule is a multiple of its interval from the start
            return None
        if first is None or first.year > 2028:
            return None
        if first == start:
            return start
        start = first
    return None


def random_series(r, uid):
    """The head lines of a series, its rule, start, zone and length in minutes."""
    while True:
        form = r.choice(["timed", "timed", "timed", "day"])
        zone = "UTC" if form == "day" else r.choice(ZONES)
        rule = random_rule(r, zone)
        if form == "day" and "HOURLY" in rule:
            continue
        start = start_of(rule, r)
        if start is None:
            continue
        if form == "day":
            start = start.replace(hour=0, minute=0)
            if start_matches(rule, start):
                return form, zone, rule, start, 1440
            continue
        return form, zone, rule, start, r.choice([15, 60, 90, 1500])


def start_matches(rule, start):
    return next(iter(rrule.rrulestr(rule, dtstart=start)), None) == start


def time_line(name, form, zone, wall):
    if form == "day":
        return f"{name};VALUE=DATE:{wall:%Y%m%d}"
    if zone == "UTC":
        return f"{name}:{wall.strftime(FORM)}Z"
    return f"{name};TZID={zone}:{wall.strftime(FORM)}"


def event(uid, title, form, zone, start, minutes, *more):
    length = f"DURATION:P{minutes // 1440}D" if form == "day" else f"DURATION:PT{minutes}M"
    return ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", f"SUMMARY:{title}",
            time_line("DTSTART", form, zone, start), length, *more, "END:VEVENT"]


def to_instant(wall, zone):
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def over_change(zone, start, seconds):
    """Whether the clocks of a zone change within a time, or skip its start."""
    at = dt.datetime.fromisoformat(start)
    offsets = [(at + dt.timedelta(seconds=s)).astimezone(ZoneInfo(zone)).utcoffset() for s in (-3600, seconds)]
    return offsets[0] != offsets[1]


class Differences:
    def __init__(self):
        self.count = self.lengths = self.told = 0

    def compare(self, about, want, got, lines):
        if [x[::2] for x in want] == [x[::2] for x in got]:
            zone = next((l.split("=")[1].split(":")[0] for l in lines if l.startswith("DTSTART;TZID=")), "UTC")
            other = [(w, g) for w, g in zip(want, got) if w != g]
            if all(over_change(zone, w[0], max(w[1], g[1])) for w, g in other):
                self.lengths += len(other)
                return
        if want != got:
            self.count += 1
            if self.count <= 20:
                print(f"-- {about}\n" + "\n".join(lines))
                print("   want, not got:", [x for x in want if x not in got][:4])
                print("   got, not want:", [x for x in got if x not in want][:4])


WINDOW = (dt.date(2026, 1, 1), dt.date(2027, 7, 1))
DAY = dt.timedelta(days=1)


def in_window(all):
    return sorted(x for x in all if WINDOW[0].isoformat() <= x[0][:10] < WINDOW[1].isoformat())


def check_rules(techo, r, number, found):
    total = 0
    for chunk in range(0, number, 50):
        series, lines = {}, []
        for i in range(chunk, min(chunk + 50, number)):
            form, zone, rule, start, minutes = random_series(r, i)
            uid = f"rule{i}"
            own = event(uid, uid, form, zone, start, minutes, f"RRULE:{rule}")
            series[uid] = form, zone, rule, start, minutes, own
            lines += own
        calendar = f"rules{chunk}"
        techo.add(calendar, lines)
        got = techo.occurrences(calendar, *WINDOW)
        for uid, (form, zone, rule, start, minutes, own) in series.items():
            want = []
            for wall in rrule.rrulestr(rule, dtstart=start):
                if wall.date() > WINDOW[1]:
                    break
                want.append((to_instant(wall, zone).isoformat(), minutes * 60, uid))
            want = in_window(want)
            total += len(want)
            found.compare("rule", want, got.get(uid, []), own)
    return total


def expanded(text):
    """The occurrences that recurring_ical_events finds in a file, as Techo.occurrences has them."""
    found = collections.defaultdict(list)
    for e in recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(WINDOW[0] - DAY, WINDOW[1] + DAY):
        if str(e.get("STATUS", "")) == "CANCELLED":
            continue
        start, end = e["DTSTART"].dt, e["DTEND"].dt
        if not isinstance(start, dt.datetime):
            start, end = (dt.datetime.combine(d, dt.time(), UTC) for d in (start, end))
        # a difference of times in one zone ignores changes of clocks
        start, end = start.astimezone(UTC), end.astimezone(UTC)
        found[str(e["UID"])].append((start.isoformat(), int((end - start).total_seconds()), str(e["SUMMARY"])))
    return {uid: in_window(all) for uid, all in found.items()}


def random_object(r, uid):
    """A series with excluded and added times, periods, changed occurrences and a change of all later ones."""
    form, zone, rule, start, minutes = random_series(r, uid)
    while len(list(zip(rrule.rrulestr(rule, dtstart=start), range(3)))) < 3:
        form, zone, rule, start, minutes = random_series(r, uid)
    walls = [w for w, _ in zip(rrule.rrulestr(rule, dtstart=start), range(12))]
    more, rest = [], []
    for wall in r.sample(walls[1:], r.choice([0, 0, 1, 2])):
        more.append(time_line("EXDATE", form, zone, wall))
        walls.remove(wall)
    ranged = form == "timed" and "COUNT" not in rule and len(walls) > 4 and r.random() < 0.25
    if r.random() < 0.3 and not ranged:
        extra = (start + dt.timedelta(days=r.randint(1, 200))).replace(minute=7 if form == "timed" else 0)
        if extra not in walls:
            if form == "timed" and zone == "UTC" and r.random() < 0.6:
                more.append(f"RDATE;VALUE=PERIOD:{extra.strftime(FORM)}Z/PT{r.choice([20, 200])}M")
            elif form == "timed":
                more.append(time_line("RDATE", form, zone, extra))
    if ranged:
        at = walls[r.randint(1, 3)]
        moved = at + dt.timedelta(minutes=45)
        rest += event(uid, f"{uid} later", form, zone, moved, minutes,
                      time_line("RECURRENCE-ID;RANGE=THISANDFUTURE", form, zone, at))
    else:
        for n, wall in enumerate(r.sample(walls, min(len(walls), r.choice([0, 1, 2])))):
            at = wall + dt.timedelta(days=r.choice([0, 1]), minutes=0 if form == "day" else r.choice([0, 20]))
            rest += event(uid, f"{uid} changed {n}", form, zone, at, minutes if form == "day" else 25,
                          time_line("RECURRENCE-ID", form, zone, wall))
    return event(uid, uid, form, zone, start, minutes, f"RRULE:{rule}", *more) + rest


def check_series(techo, r, number, found):
    total = 0
    for chunk in range(0, number, 50):
        lines = {f"series{i}": random_object(r, f"series{i}") for i in range(chunk, min(chunk + 50, number))}
        calendar = f"series{chunk}"
        out, text = techo.add(calendar, [l for own in lines.values() for l in own])
        told = {p["uid"] for p in out["problems"]}
        found.told += len(told)
        got, want = techo.occurrences(calendar, *WINDOW), expanded(text)
        out = techo.call("cal", "export", "--to", "-", "--calendar", calendar)
        again = collections.defaultdict(list)
        for uid, all in expanded(out).items():
            again[uid.split("_R")[0]] += all
        techo.call("cal", "import", "-", "--calendar", calendar + "copy", stdin=out)
        copy = techo.occurrences(calendar + "copy", *WINDOW)
        for uid, own in lines.items():
            if uid in told:
                continue
            total += len(want.get(uid, []))
            found.compare("series", want.get(uid, []), got.get(uid, []), own)
            found.compare("export", got.get(uid, []), sorted(again.get(uid, [])), own)
            found.compare("round trip", got.get(uid, []), copy.get(uid, []), own)
    return total


def check_messages(techo, r, number, found):
    """Applies messages about daily series (RFC 5546) and compares with what they say."""
    for i in range(number):
        uid, calendar = f"message{i}", "messages"
        start = dt.datetime(2026, 3, r.randint(1, 20), 9)
        days = r.randint(3, 8)
        state = {start + dt.timedelta(days=n): (start + dt.timedelta(days=n), 3600, uid) for n in range(days)}
        sent = event(uid, uid, "timed", "UTC", start, 60, f"RRULE:FREQ=DAILY;COUNT={days}", "SEQUENCE:0")
        techo.add(calendar, sent, "REQUEST")
        ranged = False
        for sequence in range(1, r.randint(2, 5)):
            original = r.choice(sorted(state)) if state else None
            kind = r.choice(["change", "cancel", "add", "later", "old", "unknown"])
            number_line = f"SEQUENCE:{sequence}"
            at = f"RECURRENCE-ID:{original.strftime(FORM)}Z" if original else ""
            if kind == "change" and original and not ranged:
                moved = original + dt.timedelta(minutes=30)
                body = event(uid, f"{uid} {sequence}", "timed", "UTC", moved, 45, at, number_line)
                state[original] = (moved, 2700, f"{uid} {sequence}")
                method = "REQUEST"
            elif kind == "cancel" and original and not ranged:
                body = event(uid, uid, "timed", "UTC", original, 60, at, number_line)
                del state[original]
                method = "CANCEL"
            elif kind == "add" and not ranged:
                extra = start + dt.timedelta(days=40 + sequence)
                body = event(uid, f"{uid} extra", "timed", "UTC", extra, 20, number_line)
                state[extra] = (extra, 1200, f"{uid} extra")
                method = "ADD"
            elif kind == "later" and not ranged and sequence == 1 and days > 3:
                ranged = True
                original = start + dt.timedelta(days=2)
                moved = original + dt.timedelta(hours=3)
                at = f"RECURRENCE-ID;RANGE=THISANDFUTURE:{original.strftime(FORM)}Z"
                body = event(uid, f"{uid} later", "timed", "UTC", moved, 30, at, number_line)
                for when in [w for w in state if w >= original]:
                    state[when] = (when + dt.timedelta(hours=3), 1800, f"{uid} later")
                method = "REQUEST"
            elif kind == "unknown":  # changes nothing, with a reason
                body = event(uid + "x", "nothing", "timed", "UTC", start, 60, number_line)
                out, _ = techo.add(calendar, body, r.choice(["ADD", "CANCEL", "REPLY"]))
                if out["changed"] or out["imported"] or not out["problems"]:
                    found.compare("unknown message", [], [str(out)], body)
                continue
            elif kind == "old":
                body = event(uid, "old", "timed", "UTC", start, 60, "SEQUENCE:-1")
                method = "REQUEST"
            else:
                continue
            sent += body
            techo.add(calendar, body, method)
        got = techo.occurrences(calendar, *WINDOW).get(uid, [])
        want = sorted((to_instant(s, "UTC").isoformat(), length, title) for s, length, title in state.values())
        found.compare("messages", want, got, sent)
        if i % 25 == 24:
            techo.call("cal", "remove", calendar, "--events")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("techo")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rules", type=int, default=3000)
    p.add_argument("--series", type=int, default=3000)
    p.add_argument("--messages", type=int, default=300)
    a = p.parse_args()
    found = Differences()
    with tempfile.TemporaryDirectory() as folder:
        techo = Techo(a.techo, folder)
        r = random.Random(a.seed)
        print(f"seed {a.seed}: {a.rules} rules, {check_rules(techo, r, a.rules, found)} occurrences; "
              f"{a.series} series, {check_series(techo, r, a.series, found)} occurrences; {a.messages} with messages")
        check_messages(techo, r, a.messages, found)
    print(f"series with a problem that the import names: {found.told}")
    print(f"lengths over a change of clocks that differ: {found.lengths}\ndifferences: {found.count}")
    sys.exit(found.count > 0)


main()
