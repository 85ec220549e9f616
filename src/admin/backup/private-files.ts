/** Files and folders of a backup, which only their owner may read. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { ConfigError } from '../../config/config.js';
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

/** The file appears complete or not at all. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: FILE_MODE, flush: true });
  await rename(`${path}.part`, path);
}

export function writeTo(path: string) {
  return createWriteStream(path, { flags: 'wx', mode: FILE_MODE, flush: true });
}
