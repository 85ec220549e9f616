/** Examines whether the clock of a server agrees with the clock of this machine. */
import type { Finding } from './finding.js';

const CLOCK_WARNING_MS = 2_000;
const CLOCK_WRONG_MS = 30_000;

export function examineClock(other: string, theirs: number, ours: number): Finding {
  const apart = Math.abs(theirs - ours);
  const found = `the clocks of this machine and of ${other} differ by ${(apart / 1000).toFixed(1)} s`;
  const check = 'clock';
  if (apart < CLOCK_WARNING_MS) return { check, status: 'ok', found };
  const cure = 'synchronise the clocks of all machines (NTP): URLs expire and steps are due by them';
  return { check, status: apart < CLOCK_WRONG_MS ? 'warning' : 'wrong', found, cure };
}
