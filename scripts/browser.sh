#!/usr/bin/env bash
# Chromium and its driver, in which the tests open the report. Where they cannot be installed those tests are skipped.
has() { command -v "$1" >/dev/null 2>&1; }
has_browser() { { has chromium || has chromium-browser || has google-chrome; } && has chromedriver; }

has_browser && exit 0
if has apt-get && [ "$(id -u)" = 0 ]; then
  echo "Installing chromium and chromium-driver with apt-get, for the tests of the report's page."
  apt-get install -y -qq chromium chromium-driver >/dev/null 2>&1 ||
    { apt-get update -qq >/dev/null 2>&1 && apt-get install -y -qq chromium chromium-driver >/dev/null 2>&1; }
fi
has_browser || echo "No Chromium here: the tests of the report's page will be skipped." \
  "On Debian and Ubuntu: sudo apt-get install chromium chromium-driver" >&2
exit 0
