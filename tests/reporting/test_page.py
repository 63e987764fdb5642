"""The page in a real browser: Debian's Chromium, without a network."""

import base64
import json
import os
import shutil
from contextlib import contextmanager

import example_facts
import pytest

from vitalfew.reporting.render.html import page, render_html
from vitalfew.reporting.render.text import clean, shorten

webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
if BROWSER is None or DRIVER is None:
    pytest.skip("needs Chromium and its driver: scripts/browser.sh installs them", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--window-size=1200,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}  # a sanitizer is for Python alone
    driver = webdriver.Chrome(options=options, service=Service(DRIVER, env=plain))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def open_page(browser, tmp_path_factory):
    """Opens an example; afterwards nothing may have been complained about or fetched."""
    folder = tmp_path_factory.mktemp("pages")

    @contextmanager
    def opened(name: str, with_charts: bool = False):
        path = folder / f"{name}{with_charts}.html"
        if not path.exists():
            facts = example_facts.ALL[name]()
            path.write_text(render_html(facts) if with_charts else page(clean(facts), {}), "utf-8")
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(path.as_uri())
        yield browser
        assert browser.get_log("browser") == []
        events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
        assert {url.split(":")[0] for url in asked} <= {"file", "data"}
        assert len([url for url in asked if url.startswith("file")]) <= 1

    return opened


@contextmanager
def window(browser, *, width=1200, scheme="light"):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def column(browser, key: str, table: str = "features") -> list[str]:
    heads = browser.find_elements(By.CSS_SELECTOR, f"#{table} thead th")
    at = [h.get_attribute("data-key") for h in heads].index(key)
    script = (
        "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)].map(r => r.cells[arguments[1]].textContent)"
    )
    return browser.execute_script(script, table, at)


def head(browser, key: str, table: str = "features"):
    return browser.find_element(By.CSS_SELECTOR, f"#{table} th[data-key={key}]")


def press(browser, element, key=None):
    """Activate an element with the mouse, or with a key while it has the focus."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
    if key is None:
        element.click()
    else:
        browser.execute_script("arguments[0].focus()", element)
        browser.switch_to.active_element.send_keys(key)


def colors(browser, selector: str) -> tuple[list[int], list[int]]:
    script = """
      const at = document.querySelector(arguments[0]), style = getComputedStyle(at);
      let under = at;
      while (under && getComputedStyle(under).backgroundColor === "rgba(0, 0, 0, 0)") under = under.parentElement;
      const numbers = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
      const ink = at instanceof SVGElement ? style.fill : style.color;
      return [numbers(ink), numbers(getComputedStyle(under).backgroundColor)];
    """
    return tuple(browser.execute_script(script, selector))


def contrast(one: list[int], two: list[int]) -> float:
    """The ratio of WCAG 2."""

    def light(rgb):
        parts = [c / 255 for c in rgb]
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted([light(one), light(two)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", example_facts.ALL)
def test_opens_and_shows_the_four_answers(name, open_page):
    with open_page(name, with_charts=name == "adult") as browser:
        answers = browser.find_element(By.ID, "answers")
        assert answers.is_displayed()
        seen = " ".join(answers.text.split())
        for sentence in example_facts.ALL[name]()["headline"]:
            assert " ".join(clean(sentence).split()) in seen
        assert ("Cannot tell" in seen) == (name == "nothing_here")


@pytest.mark.parametrize("key", [None, Keys.ENTER, Keys.SPACE])
def test_sorting(key, open_page):
    with open_page("adult", with_charts=True) as browser:
        assert head(browser, "rank").get_attribute("aria-sort") == "ascending"
        press(browser, head(browser, "context").find_element(By.TAG_NAME, "button"), key)
        assert head(browser, "context").get_attribute("aria-sort") == "descending"
        assert head(browser, "rank").get_attribute("aria-sort") is None
        assert column(browser, "name")[:3] == ["relationship", "education", "capital-gain"]
        press(browser, head(browser, "context").find_element(By.TAG_NAME, "button"), key)
        assert head(browser, "context").get_attribute("aria-sort") == "ascending"
        assert column(browser, "name")[0] == "education-num"


def test_every_column_sorts_and_nothing_last(open_page):
    with open_page("large") as browser:
        for cell in browser.find_elements(By.CSS_SELECTOR, "#features thead th"):
            press(browser, cell.find_element(By.TAG_NAME, "button"))
            assert cell.get_attribute("aria-sort") in ("ascending", "descending")
        press(browser, head(browser, "frequency").find_element(By.TAG_NAME, "button"))
        press(browser, head(browser, "frequency").find_element(By.TAG_NAME, "button"))
        assert column(browser, "frequency")[0] == "0%"
        press(browser, browser.find_element(By.CSS_SELECTOR, "#features [data-go=last]"))
        assert set(column(browser, "frequency")) == {"–"}


def test_filtering_and_pages_of_fifty_thousand(open_page):
    with open_page("large") as browser:
        status = browser.find_element(By.CSS_SELECTOR, "#features .status")
        assert status.get_attribute("aria-live") == "polite"
        assert status.text == "1 to 25 of 50,000 features"
        rows = browser.find_elements(By.CSS_SELECTOR, "#features tbody tr")
        assert len(rows) == 25
        press(browser, browser.find_element(By.CSS_SELECTOR, "#features [data-go=on]"))
        assert status.text == "26 to 50 of 50,000 features"
        search = browser.find_element(By.CSS_SELECTOR, "#features input[type=search]")
        search.send_keys("GENE_4999")
        assert status.text == "1 to 10 of 10 features (filtered from 50,000)"
        assert column(browser, "name")[0] == "gene_49990_at"
        search.send_keys("!")
        assert status.text == "0 features (filtered from 50,000)"
        search.clear()
        search.send_keys(Keys.SPACE, Keys.BACKSPACE)
        press(browser, browser.find_element(By.CSS_SELECTOR, "#features input[type=checkbox]"))
        assert status.text == "1 to 12 of 12 features (filtered from 50,000)"
        assert set(column(browser, "chosen")) == {"yes"}


def test_numbers_of_script_and_page_agree(open_page):
    """The script writes the same content that was in the page before it ran."""
    from test_render import Outline

    with open_page("adult", with_charts=True) as browser:
        written = browser.execute_script(
            "return [...document.querySelectorAll('.long tbody td')].map(c => c.textContent)"
        )
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        browser.refresh()
        source = browser.page_source
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        assert browser.find_element(By.CSS_SELECTOR, "#how_many .wide .chart").is_displayed()
        assert not browser.find_element(By.CSS_SELECTOR, "#features .tools").is_displayed()
    text = Outline(source).text
    for cell in written:
        assert cell in text


def unfold(browser):
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")


def test_hovering_and_arrow_keys_tell_numbers(open_page):
    with open_page("adult", with_charts=True) as browser:
        tip = browser.find_element(By.ID, "tip")
        assert not tip.is_displayed()
        unfold(browser)
        marks = browser.find_elements(By.CSS_SELECTOR, "#how_many details .wide .chart [data-tip]")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", marks[7])
        webdriver.ActionChains(browser).move_to_element(marks[7]).perform()
        assert tip.is_displayed()
        assert "7 features" in tip.text
        assert "25,029 bits" in tip.text
        webdriver.ActionChains(browser).move_to_element(browser.find_element(By.ID, "how_many-title")).perform()
        assert not tip.is_displayed()
        chart = browser.find_element(By.CSS_SELECTOR, "#which_model .wide .chart")
        press(browser, chart, Keys.ARROW_RIGHT)
        assert "AdaBoost of stumps" in tip.text
        assert browser.find_element(By.CLASS_NAME, "spoken").get_attribute("textContent") == tip.text
        browser.switch_to.active_element.send_keys(Keys.ESCAPE)
        assert not tip.is_displayed()


def test_every_chart_tells_something_under_the_pointer(open_page):
    with open_page("adult", with_charts=True) as browser:
        unfold(browser)
        charts = browser.find_elements(By.CSS_SELECTOR, ".wide .chart")
        assert len(charts) == 6
        for chart in charts:
            mark = chart.find_elements(By.CSS_SELECTOR, "[data-tip]")[0]
            browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", mark)
            webdriver.ActionChains(browser).move_to_element(mark).perform()
            assert browser.find_element(By.ID, "tip").is_displayed()


def test_keyboard_reaches_the_answers_and_the_theme(open_page):
    with open_page("adult", with_charts=True) as browser:
        browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        skip = browser.switch_to.active_element
        assert skip.text == "Skip to the answers"
        skip.send_keys(Keys.ENTER)
        assert browser.switch_to.active_element.get_attribute("id") == "answers"
        press(browser, browser.find_element(By.ID, "theme"), Keys.ENTER)
        assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes_have_contrast(scheme, open_page):
    with open_page("adult", with_charts=True) as browser, window(browser, scheme=scheme):
        places = (
            "body",
            ".fine",
            ".provenance",
            "nav a",
            "#answers dt a",
            "thead th",
            "summary",
            "#features .flag.yes",
            ".status",
        )
        for selector in (*places, "#how_many .wide .chart text", "#errors .chart text, #which_model .wide .chart text"):
            ink, paper = colors(browser, selector)
            assert contrast(ink, paper) >= 4.5, (selector, ink, paper)
        is_dark = sum(colors(browser, "body")[1]) < 3 * 60
        assert is_dark == (scheme == "dark")
        button = browser.find_element(By.ID, "theme")
        assert button.text == ("Light" if is_dark else "Dark")
        button.click()
        assert (sum(colors(browser, "body")[1]) < 3 * 60) != is_dark


@pytest.mark.parametrize("name", ["adult", "hostile", "large"])
def test_telephone(name, open_page):
    with open_page(name, with_charts=name == "adult") as browser, window(browser, width=375):
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide == 375
        script = "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert browser.execute_script(script) > 0
        if name == "adult":
            assert not browser.find_element(By.CSS_SELECTOR, ".wide").is_displayed()
            for chart in browser.find_elements(By.CSS_SELECTOR, ".narrow .chart"):
                box = chart.rect
                assert box["width"] <= 345
                assert box["x"] >= 0


def test_hostile_names_appear_as_text(open_page):
    with open_page("hostile", with_charts=True) as browser:
        shown = column(browser, "name")
        expected = [shorten(clean(n)) for n in example_facts.hostile()["features"]["name"]]
        assert shown == [n if n.strip() else "(blank)" for n in expected]
        for element in browser.find_elements(By.CSS_SELECTOR, "details > summary"):
            press(browser, element)
        search = browser.find_element(By.CSS_SELECTOR, "#features input[type=search]")
        search.send_keys("<script>")
        assert "<script>alert('name')</script>" in column(browser, "name")
        assert len(column(browser, "name")) < len(shown)
        marks = browser.find_elements(By.CSS_SELECTOR, "#together .wide .chart [data-tip]")
        for mark in marks[:5]:
            browser.execute_script("arguments[0].dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))", mark)
            assert browser.find_element(By.ID, "tip").text
        alerts = browser.execute_script(
            "return document.querySelectorAll('img, iframe, [onerror], [onmouseover]').length"
        )
        assert alerts == 0


def test_copying(open_page):
    with open_page("adult", with_charts=True) as browser:
        press(browser, browser.find_elements(By.CSS_SELECTOR, ".code summary")[2])
        button = browser.find_elements(By.CLASS_NAME, "copy")[2]
        press(browser, button)
        browser.execute_async_script("setTimeout(arguments[0], 100)")
        assert button.text in ("Copied", "Selected")


def test_paper_shows_what_is_folded_and_no_tools(open_page):
    with open_page("adult", with_charts=True) as browser:
        assert not browser.find_element(By.CSS_SELECTOR, "#how_many details table").is_displayed()
        pdf = base64.b64decode(browser.print_page())
        assert pdf.startswith(b"%PDF")
        assert 4 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 15
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        assert browser.find_element(By.CSS_SELECTOR, "#how_many details table").is_displayed()
        assert not browser.find_element(By.ID, "theme").is_displayed()
        assert not browser.find_element(By.CSS_SELECTOR, ".tools").is_displayed()
        browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        assert not browser.find_element(By.CSS_SELECTOR, "#how_many details table").is_displayed()
