/** A page to come. */
export function ExportsPage() {
  return null;
}
