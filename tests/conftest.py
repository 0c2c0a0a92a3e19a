"""Property tests have no deadline: on a machine that is busy otherwise, a slow example says nothing."""

from hypothesis import HealthCheck, settings

settings.register_profile("pharos", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pharos")
