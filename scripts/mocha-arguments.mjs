/** Converts the arguments after `npm test --` to mocha's: test/unit/x.test.ts becomes the path of the built file. */
import { existsSync } from 'node:fs';
import { BootstrapError } from './bootstrap-error.mjs';

const SPECS = {
  test: ['dist/test/unit/**/*.test.js', 'dist/test/integration/**/*.test.js', 'dist/test/system/**/*.test.js'],
  'test:long': ['dist/test/long/**/*.test.js'],
};

/** @throws BootstrapError for a test file that does not exist */
export function mochaArguments(command, args) {
  const paths = args.map(builtPath);
  const given = args.filter((_, index) => paths[index] !== undefined);
  const missing = given.find((path) => !existsSync(builtPath(path)));
  if (missing !== undefined) throw new BootstrapError(`There is no test ${missing}.`);
  const passedOn = args.map((argument, index) => paths[index] ?? argument);
  return given.length > 0 ? passedOn : [...SPECS[command], ...passedOn];
}

/** The path of the built test file or folder; undefined: the argument is something else. */
function builtPath(argument) {
  const path = argument.replace(/^\.\//, '').replace(/^dist\//, '');
  if (!/^test(\/|$)/.test(path) || path.includes('*')) return undefined;
  return `dist/${path.replace(/\.ts$/, '.js')}`;
}
