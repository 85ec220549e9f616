/** A command of `npm run admin`: its options, what it does, and how the audit log records it. */
import type { Db } from '../../../db/connection.js';
import type { AuditAction, AuditEntry } from '../../domain/access/audit.js';

interface Option {
  readonly description: string;
  readonly required?: boolean;
  /** True: the option has no value. */
  readonly flag?: boolean;
}

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** The answer of a command: shown as lines of names and values, one block for each element of a list, or as JSON. */
export type Answer = object | readonly object[];

interface CommandAudit {
  /** A function of the argument where that decides what is done. */
  readonly action: AuditAction | ((argument: string) => AuditAction);
  /** The account and the thing that the command concerned. */
  about(answer: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'accountId' | 'target'>;
  /** Whether the command commits by itself, in parts, and is recorded afterwards. */
  readonly commitsItself?: boolean;
}

export interface Command {
  /** The name as it is typed: `token create`. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** The argument after the name, if the command has one: `<token id>`. */
  readonly argument?: string;
  /** What the audit log says of it; undefined: it only reads. */
  readonly audit?: CommandAudit;
  /** @param secretsKeys reads the keys that encrypt secrets; throws ConfigError when there are none */
  run(db: Db, options: OptionValues, argument: string, secretsKeys: () => readonly string[]): Promise<Answer>;
}

/** The arguments are wrong. The message says in one line what is wrong, and what was probably meant. */
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

/** The list in an option, separated by commas or spaces. */
export function listOf(options: OptionValues, name: string): string[] | undefined {
  return textOf(options, name)
    ?.split(/[\s,]+/)
    .filter((entry) => entry !== '');
}
