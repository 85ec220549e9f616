/**
 * Completes package-lock.json after a change of dependencies: `node scripts/complete-lock.mjs`.
 * npm leaves out optional packages of other platforms if its registry does not serve them (mirrors often serve only
 * some), and `npm ci` then refuses the lock on every machine. The added entries have no checksum.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LOCK = new URL('../package-lock.json', import.meta.url);
const OS = ['linux', 'darwin', 'win32', 'android', 'freebsd', 'openharmony'];
const CPU = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32'];

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const added = [];
for (const [path, { optionalDependencies = {}, dev }] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`]) continue;
    lock.packages[`node_modules/${name}`] = entryOf(name, version, dev);
    added.push(`${name}@${version}`);
  }
}
const { '': root, ...others } = lock.packages;
const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(LOCK, `${JSON.stringify({ ...lock, packages: { '': root, ...Object.fromEntries(sorted) } }, null, 2)}\n`);
process.stdout.write(added.length === 0 ? 'the lock is complete\n' : `added:\n${added.join('\n')}\n`);

/** The lock entry of a package. Its platform is in its name: `@scope/tool-linux-x64-musl`. */
function entryOf(name, version, dev) {
  const parts = name.split('/').at(-1).split('-');
  const cpu = parts.find((part) => CPU.includes(part));
  const os = parts.find((part) => OS.includes(part));
  const libc = parts.at(-1).startsWith('musl') ? 'musl' : parts.at(-1).startsWith('gnu') ? 'glibc' : undefined;
  return {
    version: version.replace(/^[\^~]/, ''),
    ...(cpu && { cpu: [cpu] }),
    ...(dev && { dev: true }),
    ...(libc && os === 'linux' && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
