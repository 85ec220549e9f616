/** Finds the parts that a part of a workbook refers to. */
import { posix } from 'node:path';
import { localName, readXml } from './safe-xml-parser.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { tooComplex } from './workbook-problem.js';
import type { ZipArchive } from './zip-archive.js';

interface Relationship {
  readonly id: string;
  /** The last word of the type, which transitional and strict workbooks share: `worksheet`, `styles`. */
  readonly type: string;
  /** Name of the part in the archive. */
  readonly target: string;
}

/** @param part the referring part; empty for the archive as a whole. */
export async function readRelationships(
  archive: ZipArchive,
  part: string,
  limits: WorkbookLimits,
): Promise<Relationship[]> {
  const folder = part === '' ? '' : posix.dirname(part);
  const path = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const found: Relationship[] = [];
  if (!archive.has(path)) return found;
  const handler = {
    open: (name: string, { Id, Type, Target, TargetMode }: Readonly<Record<string, string>>) => {
      if (localName(name) !== 'Relationship' || TargetMode === 'External') return;
      if (Id === undefined || Type === undefined || Target === undefined) return;
      if (found.length >= limits.maxSheets + 100) throw tooComplex('The workbook has too many parts');
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target: resolveTarget(folder, Target) });
    },
    close: () => undefined,
    text: () => undefined,
  };
  await readXml(archive.read(path), handler, limits);
  return found;
}

/** Targets are relative to the folder of the part that refers to them, or begin with a slash. */
function resolveTarget(folder: string, target: string): string {
  const path = decodedPath(target.replaceAll('\\', '/'));
  return (path.startsWith('/') ? posix.normalize(path) : posix.join('/', folder, path)).slice(1);
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
