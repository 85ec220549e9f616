/** The options of `longshore import`, and what the API is told of them. */
import type { ImportFileOptions } from '@longshore/client';
import type { CommonOptions } from '../access.js';

export const TYPES = {
  items: 'ITEM_IMPORT',
  bundles: 'BUNDLE_IMPORT',
  attributes: 'ATTRIBUTE_IMPORT',
  categories: 'CATEGORY_IMPORT',
} as const;

export interface ImportOptions extends CommonOptions {
  readonly type: keyof typeof TYPES;
  readonly mode?: 'insert' | 'update' | 'upsert';
  readonly dryRun?: boolean;
  readonly atomic?: boolean;
  readonly delimiter?: ',' | ';' | '\t' | '|';
  readonly decimalSeparator?: '.' | ',';
  readonly dateFormat?: string;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly retryOf?: string;
  readonly name: string;
}

/** How a file is announced with these options. */
export function announcementOf(options: ImportOptions) {
  const { mode, delimiter, decimalSeparator, dateFormat, encoding, sheet, retryOf } = options;
  const given = {
    ...(mode === undefined ? {} : { mode }),
    ...(options.atomic ? { onError: 'abort' as const } : {}),
    ...(delimiter === undefined ? {} : { delimiter: (delimiter as string) === 'tab' ? ('\t' as const) : delimiter }),
    ...(decimalSeparator === undefined ? {} : { decimalSeparator }),
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
  };
  return { type: TYPES[options.type], options: given, dryRun: options.dryRun, retryOf } satisfies ImportFileOptions;
}
