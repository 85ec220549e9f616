/** What a command of `npm run admin` is. */
import type { Db } from '../../db/connection.js';

interface Option {
  readonly description: string;
  readonly required?: boolean;
  /** Takes no value. */
  readonly flag?: boolean;
}

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What a command answers: shown as lines of `name: value`, a list as one block an element; as JSON with --json. */
export type Answer = object | readonly object[];

export interface Command {
  /** As it is typed: `token create`. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** What stands after the name without a dash, if anything: `<token id>`. */
  readonly argument?: string;
  /** @param secretsKeys reads what secrets are sealed with; throws ConfigError when there is none */
  run(db: Db, options: OptionValues, argument: string, secretsKeys: () => readonly string[]): Promise<Answer>;
}

/** The arguments make no sense; the message says how, and the usage is shown with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The text of an option; undefined when it is not given. */
export function textOf(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The text of a required option. @throws UsageError */
export function requiredText(options: OptionValues, name: string): string {
  const value = textOf(options, name);
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

/** A list separated by commas or spaces. */
export function listOf(options: OptionValues, name: string): string[] | undefined {
  return textOf(options, name)
    ?.split(/[\s,]+/)
    .filter((entry) => entry !== '');
}
