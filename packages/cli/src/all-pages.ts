/** Reads lists of the API to their end. */

interface Page<T> {
  readonly data: readonly T[];
  readonly count: number;
}

export async function allPages<T>(fetchPage: (offset: number) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const page = await fetchPage(found.length);
    found.push(...page.data);
    if (page.data.length === 0 || found.length >= page.count) return found;
  }
}
