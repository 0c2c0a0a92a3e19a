"""Settings: defaults, what may be set, what stops the start."""

from __future__ import annotations

import ipaddress

import msgspec
import pytest

from server.settings import Pace, PerAddress, Settings, SettingsError, Wire, masked, read_settings


def test_without_an_environment_everything_has_its_default() -> None:
    assert read_settings({"PATH": "/bin", "HOME": "/"}) == Settings()


def test_settings_are_read_wherever_they_lie() -> None:
    settings = read_settings(
        {
            "PHAROS_HOST": "0.0.0.0",
            "PHAROS_PORT": "0",
            "PHAROS_STORE": "memory://",
            "PHAROS_ORIGINS": "https://Example.org, http://localhost:5173, http://[::1]:8000",
            "PHAROS_TRUSTED_PROXIES": "10.0.0.0/8,192.0.2.7,fd00::/8",
            "PHAROS_LOG": "json",
            "PHAROS_MAX_ROOMS": "5",
            "PHAROS_SERVED_PACE": "0",
            "PHAROS_FRAME_BYTES": "2048",
            "PHAROS_LIMIT_LOOPBACK": "1",
        }
    )
    assert (settings.host, settings.port, settings.store, settings.log) == ("0.0.0.0", 0, "memory://", "json")
    assert settings.origins == ("https://example.org", "http://localhost:5173", "http://[::1]:8000")
    assert settings.trusted_proxies == tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "192.0.2.7/32", "fd00::/8")))
    assert (settings.pace.max_rooms, settings.pace.served_pace) == (5, 0)
    assert settings.wire.frame_bytes == 2048
    assert settings.per_address.limit_loopback


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = [field.name for struct in (Settings, Pace, Wire, PerAddress) for field in msgspec.structs.fields(struct)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PHAROS_PROT", "8000"),
        ("PHAROS_PACE", "1"),
        ("PHAROS_PORT", "http"),
        ("PHAROS_PORT", "-1"),
        ("PHAROS_PORT", "65536"),
        ("PHAROS_PORT", ""),
        ("PHAROS_PORT", "tcp://10.0.0.1:8000"),
        ("PHAROS_SHUTDOWN_DELAY", "10000"),
        ("PHAROS_SWEEP_EVERY", "5000"),
        ("PHAROS_PING_EVERY", "60000"),
        ("PHAROS_PRESENCE_RENEW", "15000"),
        ("PHAROS_TRACES", "on"),
        ("PHAROS_MAX_ROOMS", "0"),
        ("PHAROS_MAX_ROOMS", "1.5"),
        ("PHAROS_LIMIT_LOOPBACK", "yes"),
        ("PHAROS_LOG", "xml"),
        ("PHAROS_LOG_LEVEL", "loud"),
        ("PHAROS_ORIGINS", "example.org"),
        ("PHAROS_ORIGINS", "https://example.org/"),
        ("PHAROS_ORIGINS", "https://example.org/path"),
        ("PHAROS_ORIGINS", "*"),
        ("PHAROS_ORIGINS", "https://[::1"),
        ("PHAROS_ORIGINS", "https://example.org:443"),
        ("PHAROS_ORIGINS", "http://example.org:80"),
        ("PHAROS_ORIGINS", "https://example.org:99999"),
        ("PHAROS_ORIGINS", "https://example.org:"),
        ("PHAROS_ORIGINS", "https://:8443"),
        ("PHAROS_ORIGINS", "https://*.example.org"),
        ("PHAROS_ORIGINS", "https://user@example.org"),
        ("PHAROS_ORIGINS", "https://exa mple.org"),
        ("PHAROS_ORIGINS", "https://bücher.example"),
        ("PHAROS_SEND_BUFFER", "2147483648"),
        ("PHAROS_TRUSTED_PROXIES", "proxy.example.org"),
    ],
)
def test_an_unknown_variable_or_an_impossible_value_stops_the_start(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({variable: value})
    text = str(refusal.value)
    assert text.startswith(f"{variable}: ")
    assert "\n" not in text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///pharos.db", "sqlite:///pharos.db"),
        ("memory://", "memory://"),
        ("redis://user:secret@host:6379/0", "redis://***@host:6379/0"),
        ("redis://:sec@ret@host/0?password=secret", "redis://***@host/0"),
        ("redis+sentinel://:secret@a:1,b:2/main", "redis+sentinel://***@a:1,b:2/main"),
        ("secret", "***"),
    ],
)
def test_a_url_is_logged_without_its_secrets(url: str, shown: str) -> None:
    assert masked(url) == shown
