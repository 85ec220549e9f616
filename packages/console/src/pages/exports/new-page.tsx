/** A page to come. */
export function NewExportPage() {
  return null;
}
