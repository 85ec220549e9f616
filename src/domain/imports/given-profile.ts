/** The profile that a file is imported by: the one that its request names or brings, or the default of the site. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { FILE_FORMATS } from '../formats/file-format.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import type { KeptProfile } from '../profiles/model/kept-profile.js';
import { PROFILE_FILE_TYPES, type Profile, type ProfileFileType, profileDocument } from '../profiles/model/profile.js';
import { findProfile } from '../profiles/profiles.js';
import { neededMissing } from '../proposals/needed-missing.js';
import { siteSettings } from '../settings/site-settings.js';
import { DECIDED_BY_PROFILES, type DecidedOptions } from './execute/fitting-options.js';
import type { ImportOptions } from './model/import-options.js';

const MAX_NAME_CHARACTERS = 100;

/** A name, a profile itself, or null for none. */
export const givenProfileSchema = z
  .union([z.string().min(1).max(MAX_NAME_CHARACTERS), profileDocument])
  .nullable()
  .meta({
    description:
      'The import profile: its name, or a profile itself. null: none, not even the default of the site. Default: the default of the site for this type of file',
  });
type GivenProfile = z.output<typeof givenProfileSchema>;

/** A file that is to be imported. */
interface ImportedFile {
  readonly siteId: number;
  readonly type: string;
  readonly format: SourceFormat;
}

/** Where the body has the profile and the options, for messages. */
interface BodyPaths {
  readonly profile: string;
  readonly options: string;
}

interface ChosenProfile {
  /** Null: none was asked for. Undefined: nothing was said, and the site has no default. */
  readonly profile: KeptProfile | null | undefined;
  /** Whether it is the default of the site. */
  readonly isDefault: boolean;
}

/**
 * @throws DomainError not-found PROFILE_NOT_FOUND; conflict DEFAULT_PROFILE_GONE; invalid when the profile is for other
 *   files, or an option contradicts it
 */
export async function chooseProfile(
  db: Db,
  file: ImportedFile,
  given: GivenProfile | undefined,
  options: DecidedOptions,
  paths: BodyPaths,
): Promise<ChosenProfile> {
  const isDefault = given === undefined;
  const profile = isDefault ? await defaultProfile(db, file) : given === null ? null : await kept(db, file, given);
  if (profile === null || profile === undefined) return { profile, isDefault: false };
  const { fileType } = profile.document;
  if (fileType !== profileTypeOf(file.type)) {
    throw invalid(paths.profile, `is for files of ${fileType}, and this file is announced as ${file.type}`);
  }
  requireNoContradiction(profile, options, paths, isDefault);
  return { profile, isDefault };
}

/** @throws DomainError invalid when an option stands beside a profile that decides it */
export function requireNoContradiction(
  { name }: KeptProfile,
  options: DecidedOptions,
  paths: BodyPaths,
  isDefault = false,
): void {
  for (const option of DECIDED_BY_PROFILES) {
    if (options[option] === undefined) continue;
    const which = name === null ? 'the profile' : `the profile ${quoted(name)}`;
    const why = isDefault ? `${which}, the default of such files, which` : `${which}, which`;
    const advice = isDefault ? 'leave it out, or send "profile": null' : 'leave it out, or change the profile';
    throw invalid(`${paths.options}${option}`, `contradicts ${why} says how the file is written: ${advice}`);
  }
}

/** The options of a job with its profile. */
export function withProfile(options: ImportOptions, { profile, isDefault }: ChosenProfile): ImportOptions {
  if (profile === undefined) return options;
  const implied = isDefault ? { implied: [...(options.implied ?? []), 'profile'] } : {};
  const { missing } = options;
  // A proposal lists what each of its readings needs, and the profile says which of them were chosen.
  const needed = missing === undefined || profile === null ? {} : { missing: neededMissing(missing, profile.document) };
  return { ...options, profile, ...implied, ...needed };
}

async function kept(db: Db, { siteId }: ImportedFile, given: string | Profile): Promise<KeptProfile> {
  if (typeof given !== 'string') return { name: null, version: null, document: given };
  const { name, version, profile } = await findProfile(db, siteId, given);
  return { name, version, document: profile };
}

async function defaultProfile(db: Db, { siteId, type, format }: ImportedFile): Promise<KeptProfile | undefined> {
  const { settings } = await siteSettings(db, siteId);
  const fileType = profileTypeOf(type);
  const name = fileType === undefined ? undefined : settings.defaultProfiles[fileType];
  if (name === undefined) return undefined;
  const found = await kept(db, { siteId, type, format }, name).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.kind !== 'not-found') throw error;
    const message = `the default profile of files of ${fileType}, ${quoted(name)}, was deleted: name another one in the site settings, or send "profile": null`;
    throw new DomainError('conflict', 'DEFAULT_PROFILE_GONE', message);
  });
  // A default for tables says nothing about JSON, and one for nested files nothing about tables.
  const isTable = FILE_FORMATS[format].rows === 'table';
  return isTable === (found.document.format.rowPath === undefined) ? found : undefined;
}

/** The type of profiles for files of a type; undefined: none. */
function profileTypeOf(type: string): ProfileFileType | undefined {
  const itself = PROFILE_FILE_TYPES.find((fileType) => fileType === type);
  return itself ?? (['PRODUCT_IMPORT', 'ITEM_VARIANT_IMPORT'].includes(type) ? 'ITEM_IMPORT' : undefined);
}

function invalid(path: string, what: string): DomainError {
  const message = `the body is not as expected: ${path}: ${what}`;
  return new DomainError('invalid', 'REQUEST_INVALID', message, {
    problems: [{ path, code: 'FIELD_INVALID', message: what }],
  });
}
