/** Files and folders of a backup, which only their owner may read. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { ConfigError } from '../../config/config.js';
import { codeOf } from '../../platform/error-code.js';
import { pathsOf } from './format.js';

/** Only the user of the service may read a backup: it holds the data of all tenants. */
export const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if ((await readdir(folder)).length > 0)
    throw new ConfigError(`${folder} is not empty: give each backup its own folder`);
  await mkdir(pathsOf(folder).tables, { mode: FOLDER_MODE });
}

/** What has ended a backup; the folder and what to do are said where it has no room. */
export function causeOf(error: unknown, folder: string): unknown {
  if (!/^(?:ENOSPC|EDQUOT)$/.test(codeOf(error))) return error;
  return new ConfigError(
    `there is no room for the backup in ${folder}: it is not complete and cannot be restored. Delete it, and make another one where there is room`,
  );
}

/** The file appears complete or not at all. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: FILE_MODE, flush: true });
  await rename(`${path}.part`, path);
}

export function writeTo(path: string) {
  return createWriteStream(path, { flags: 'wx', mode: FILE_MODE, flush: true });
}
