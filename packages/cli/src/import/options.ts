/** The options of `longshore import`, and what the API is told of them. */
import type { ImportFileOptions } from '@longshore/client';
import { InvalidArgumentError } from 'commander';
import type { CommonOptions } from '../access.js';
import { type ReadingOptions, writtenReading } from './reading.js';
import { type SnapshotMissing, type SnapshotScope, snapshotOf, writtenSnapshot } from './snapshot.js';

export const TYPES = {
  items: 'ITEM_IMPORT',
  bundles: 'BUNDLE_IMPORT',
  attributes: 'ATTRIBUTE_IMPORT',
  categories: 'CATEGORY_IMPORT',
} as const;

/** The kinds of definitions that an import can create. */
export const CREATABLE = ['attributes', 'options', 'categories', 'assignments'] as const;
export type Creatable = (typeof CREATABLE)[number];

/** What is created of what is missing. */
export type Choice = 'all' | 'none' | readonly Creatable[];

/** Reads the value of --create-missing, which may be left out. */
export function choiceOf(text: string): Choice {
  if (text === 'all' || text === 'none') return text;
  const kinds = text.split(',').map((kind) => kind.trim());
  const isKind = (kind: string): kind is Creatable => (CREATABLE as readonly string[]).includes(kind);
  if (kinds.every(isKind)) return kinds;
  throw new InvalidArgumentError(`Write some of ${CREATABLE.join(', ')} after "=", or none; alone it means all.`);
}

export interface ImportOptions extends CommonOptions, ReadingOptions {
  readonly type: keyof typeof TYPES;
  readonly mode?: 'insert' | 'update' | 'upsert';
  readonly dryRun?: boolean;
  readonly requireApproval?: boolean;
  readonly atomic?: boolean;
  readonly decimalSeparator?: '.' | ',';
  readonly dateFormat?: string;
  readonly retryOf?: string;
  /** False: not even the default of the stage. */
  readonly profile?: string | false;
  readonly snapshot?: SnapshotScope;
  readonly missing?: SnapshotMissing;
  readonly maxMissingPercent?: number;
  readonly maxMissing?: number;
  readonly minRows?: number;
  readonly onBrake?: 'stop' | 'approve';
  readonly createMissing?: Choice;
  readonly decide?: readonly string[];
  readonly yes?: boolean;
  readonly name?: string;
}

/** How a file is announced with these options. */
export function announcementOf(options: ImportOptions) {
  const { mode, delimiter, decimalSeparator, dateFormat, encoding, sheet, retryOf } = options;
  const given = {
    ...(mode === undefined ? {} : { mode }),
    ...(options.atomic ? { onError: 'abort' as const } : {}),
    ...(options.requireApproval ? { requireApproval: true } : {}),
    ...(delimiter === undefined ? {} : { delimiter: delimiterOf(delimiter) }),
    ...(decimalSeparator === undefined ? {} : { decimalSeparator }),
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
    ...snapshotOf(options),
  };
  return { type: TYPES[options.type], options: given, dryRun: options.dryRun, retryOf } satisfies ImportFileOptions;
}

/** As the API has it; the command accepts no others. */
function delimiterOf(given: string): NonNullable<NonNullable<ImportFileOptions['options']>['delimiter']> {
  return given === 'tab' ? '\t' : (given as ',' | ';' | '|');
}

/** The options that say how a file is written, which a saved profile says instead. */
export function formOptionsOf(options: ImportOptions): string[] {
  const { delimiter, encoding, sheet, headerRow, headerRows, rowPath } = options;
  const given = {
    '--delimiter': delimiter,
    ...{ '--encoding': encoding, '--sheet': sheet, '--row-path': rowPath },
    ...{ '--header-row': headerRow, '--header-rows': headerRows },
  };
  return [...namesOf(given), ...valueOptionsOf(options)];
}

/** The options that say how values are written, which any profile says instead, also one that is proposed. */
export function valueOptionsOf({ decimalSeparator, dateFormat }: ImportOptions): string[] {
  return namesOf({ '--decimal-separator': decimalSeparator, '--date-format': dateFormat });
}

function namesOf(given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** The command as it can be typed again; the answers to questions are added to it. */
export function commandOf(path: string, options: ImportOptions): string[] {
  const { type, mode, dryRun, atomic, profile, name } = options;
  return [
    ...['import', path],
    ...(name === undefined ? [] : ['--name', name]),
    ...(type === 'items' ? [] : ['--type', type]),
    ...(mode === undefined ? [] : ['--mode', mode]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(options.requireApproval ? ['--require-approval'] : []),
    ...(atomic ? ['--atomic'] : []),
    ...writtenSnapshot(options),
    ...writtenReading(options),
    ...(profile === undefined ? [] : profile === false ? ['--no-profile'] : ['--profile', profile]),
  ];
}
