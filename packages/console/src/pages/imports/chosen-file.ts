/** The files that were chosen in this window, by the id under which they were uploaded: a preview sends them once more. */

const files = new Map<string, File>();

export function keepFile(id: string, file: File): void {
  files.set(id, file);
}

/** @returns undefined when it was chosen in another window, or was changed or deleted since: the system has what was sent */
export async function keptFile(id: string): Promise<File | undefined> {
  const file = files.get(id);
  try {
    await file?.slice(0, 1).arrayBuffer();
    return file;
  } catch {
    return undefined;
  }
}
