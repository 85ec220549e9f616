/** The help of `npm start`. It is plain JavaScript, so that it is shown before anything is installed. */

export const START_HELP = `npm start runs Longshore on this machine: a database, the API and a worker. It needs Node and nothing else.

When it is ready, it prints the addresses of the guide and the API, and what to do next. It runs until you press Ctrl-C.
The data stay in DATA_DIR for the next start.

Settings are environment variables:
  PORT          the port of the API (default: 3000)
  HOST          the address on which the API listens (default: 127.0.0.1, this machine only)
  DATA_DIR      the folder for the database, the files and the credentials (default: .data)
  DATABASE_URL  a Postgres of yours, instead of the one that comes with Longshore
  REDIS_URL     a Redis of yours for the queues, which are in Postgres otherwise
docs/run/install.md lists all of them.

Examples:
  npm start
  PORT=4000 DATA_DIR=/tmp/shop npm start
`;

const HELP = new Set(['--help', '-h', 'help']);

/** What each option is called that other programs have, and this one reads from the environment. */
const VARIABLES = { port: 'PORT', p: 'PORT', host: 'HOST', 'data-dir': 'DATA_DIR', data: 'DATA_DIR' };

/** @returns what is wrong with the arguments, in one line; null: they ask for help */
export function startMistake(args) {
  if (args.some((arg) => HELP.has(arg))) return null;
  const [first, second] = args;
  const [, name = '', value = second ?? '…'] = /^--?([a-z-]+)(?:=(.*))?$/.exec(first) ?? [];
  const variable = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
  const instead =
    variable === undefined ? 'its settings are environment variables' : `use ${variable}=${value} npm start`;
  return `npm start has no argument "${first}": ${instead} (npm start -- --help lists them)`;
}
