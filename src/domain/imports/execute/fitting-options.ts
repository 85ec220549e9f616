/** Which options fit together: with a profile, and with the format of a file. */
import { formatsWhere } from '../../formats/file-format.js';
import { FORMAT_OPTIONS, type FormatOption } from '../../formats/file-formats/definition.js';
import type { SourceFormat } from '../../formats/model/source-format.js';
import type { ImportOptions } from '../model/import-options.js';

/** The options that a profile decides, so that none of them may stand beside one. */
export const DECIDED_BY_PROFILES = ['delimiter', 'encoding', 'sheet', 'decimalSeparator', 'dateFormat'] as const;

export type DecidedOptions = Readonly<Partial<Record<(typeof DECIDED_BY_PROFILES)[number], unknown>>>;

/**
 * The options of two sources without contradictions: of a profile and the options that profiles decide, those of `first`
 * count.
 */
export function withoutContradictions(first: Partial<ImportOptions>, second: ImportOptions): ImportOptions {
  const names: readonly string[] = DECIDED_BY_PROFILES;
  const isByProfile = first.profile !== undefined && first.profile !== null;
  const isByOptions = DECIDED_BY_PROFILES.some((option) => first[option] !== undefined);
  if (!isByProfile && !isByOptions) return second;
  const left = Object.entries(second).filter(([name]) => (isByProfile ? !names.includes(name) : name !== 'profile'));
  return Object.fromEntries(left) as unknown as ImportOptions;
}

/** The given options that do not apply to files of this format, each with a message that says what to do. */
export function unfitOptions(
  format: SourceFormat,
  given: Readonly<Partial<Record<FormatOption, unknown>>>,
): { readonly option: FormatOption; readonly message: string }[] {
  return FORMAT_OPTIONS.flatMap((option) => {
    const formats = formatsWhere(({ options }) => options.includes(option));
    if (given[option] === undefined || formats.includes(format)) return [];
    return [{ option, message: `applies only to ${formats.join(', ')}, and this file is ${format}: leave it out` }];
  });
}
