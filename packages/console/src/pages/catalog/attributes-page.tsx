/** A page to come. */
export function AttributesPage() {
  return null;
}
