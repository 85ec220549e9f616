/** `npm run admin -- doctor`: looks for mistakes in how this installation is set up, and says what to do about each. */
import { VERSION } from '../platform/version.js';
import type { Finding } from './doctor/finding.js';
import { type Environment, examineSettings } from './doctor/settings.js';
import { examineSystem } from './doctor/system.js';

/**
 * Examines settings, versions, schema, permissions, clocks, Redis, the file store and connections.
 * @param now the clock of this machine, in milliseconds; for tests
 * @returns what it found, the mistakes first
 */
export async function examine(environment: Environment, now: () => number = Date.now): Promise<Finding[]> {
  const { config, findings } = examineSettings(environment);
  findings.push(versionOf(process.versions.node));
  if (config !== undefined) findings.push(...(await examineSystem(config, now)));
  const order = ['wrong', 'warning', 'ok'];
  return findings.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

function versionOf(node: string): Finding {
  return { check: 'version', status: 'ok', found: `Longshore ${VERSION}, Node ${node}` };
}
