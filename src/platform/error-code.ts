/** The code of an error of the operating system or of a driver, such as ENOENT or 23505; empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
