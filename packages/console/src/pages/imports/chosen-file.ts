/** The files that were chosen in this window, by the id under which they were uploaded: a preview sends them once more. */

const files = new Map<string, File>();

export function keepFile(id: string, file: File): void {
  files.set(id, file);
}

export function keptFile(id: string): File | undefined {
  return files.get(id);
}
