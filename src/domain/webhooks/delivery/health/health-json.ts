/** SQL for a Health, whose times are milliseconds since 1970. The alias of the table must be `health`. */
export const HEALTH_JSON = `json_build_object(
  'failureStreak', health.failure_streak, 'failedDeliveries', health.failed_deliveries,
  'failingSince', floor(extract(epoch FROM health.failing_since) * 1000), 'notices', health.notices,
  'windowBeganAt', floor(extract(epoch FROM health.window_began_at) * 1000),
  'windowAttempts', health.window_attempts, 'windowFailures', health.window_failures,
  'openUntil', floor(extract(epoch FROM health.open_until) * 1000), 'openings', health.openings,
  'pausedUntil', floor(extract(epoch FROM health.paused_until) * 1000),
  'probingSince', floor(extract(epoch FROM health.probing_since) * 1000))`;
