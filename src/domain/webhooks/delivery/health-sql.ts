/** How an endpoint's health is read from its row. */
import { PROBE_LOST_MS } from './admit-delivery.js';

/** As Health: its times are milliseconds since 1970. The table goes by the name `health`. */
export const HEALTH_JSON = `json_build_object(
  'failureStreak', health.failure_streak, 'failedDeliveries', health.failed_deliveries,
  'failingSince', floor(extract(epoch FROM health.failing_since) * 1000),
  'windowBeganAt', floor(extract(epoch FROM health.window_began_at) * 1000),
  'windowAttempts', health.window_attempts, 'windowFailures', health.window_failures,
  'openUntil', floor(extract(epoch FROM health.open_until) * 1000), 'openings', health.openings,
  'pausedUntil', floor(extract(epoch FROM health.paused_until) * 1000),
  'probingSince', floor(extract(epoch FROM health.probing_since) * 1000))`;

/** An interval. */
export const PROBE_LOST = `interval '${PROBE_LOST_MS} milliseconds'`;
