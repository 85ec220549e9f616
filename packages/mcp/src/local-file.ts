/** The files of this machine that an assistant may have uploaded: those in the folders that people have named. */
import { createReadStream, realpathSync, statSync } from 'node:fs';
import { basename, parse, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { FileSource } from '@longshore/client';
import { ToolProblem } from './problem.js';

export interface LocalFiles {
  /** @throws ToolProblem when there is no such file, or it is not in one of the folders */
  open(path: string): FileSource & { readonly name: string };
}

/** @param folders none: no file may be uploaded */
export function localFiles(folders: readonly string[]): LocalFiles {
  return {
    open: (path) => {
      const found = readableFile(path, folders);
      const { size } = statSync(found);
      if (size === 0) {
        throw new ToolProblem(`${path} is empty`, {
          code: 'FILE_EMPTY',
          advice: 'Its first line must name the columns',
        });
      }
      const open = () => Readable.toWeb(createReadStream(found)) as unknown as ReadableStream<Uint8Array>;
      return { name: basename(found), size, open };
    },
  };
}

/** The folder in which a program was started, unless that would be the whole machine. */
export function folderOfStart(): string[] {
  const folder = process.cwd();
  return folder === parse(folder).root ? [] : [folder];
}

function readableFile(path: string, folders: readonly string[]): string {
  const found = realPath(resolve(folders[0] ?? '.', path));
  const isInside = found !== undefined && folders.some((folder) => contains(realPath(folder) ?? folder, found));
  // Whether another file exists is nothing that an assistant is told.
  if (!isInside) {
    const where =
      folders.length === 0 ? 'no folder of files was named' : `the files are those in ${folders.join(', ')}`;
    throw new ToolProblem(`there is no file ${path} that may be used: ${where}`, {
      code: 'FILE_NOT_FOUND',
      advice: 'The user names folders when this server is started: longshore mcp --folder FOLDER',
    });
  }
  if (!statSync(found).isFile()) {
    throw new ToolProblem(`${path} is no file`, { code: 'FILE_NOT_FOUND', advice: 'Name a file with rows' });
  }
  return found;
}

/** Symbolic links do not lead out of a folder. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}
