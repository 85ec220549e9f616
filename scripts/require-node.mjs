/** Reports an outdated Node in a sentence, before it fails in some other way. */
import { BootstrapError } from './bootstrap-error.mjs';

/** @throws BootstrapError when this Node is older than `wanted`, such as 20.19.0 */
export function requireNode(wanted) {
  const found = process.versions.node.split('.').map(Number);
  const least = wanted.split('.').map(Number);
  const difference = found.map((part, index) => part - least[index]).find((part) => part !== 0) ?? 0;
  if (difference >= 0) return;
  throw new BootstrapError(
    `Longshore needs Node ${wanted} or newer, and this is Node ${process.versions.node}: install a newer one from https://nodejs.org.`,
  );
}
