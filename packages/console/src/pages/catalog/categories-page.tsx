/** A page to come. */
export function CategoriesPage() {
  return null;
}
