/** Writes the path of a route as OpenAPI does: `/jobs/:id` as `/jobs/{id}`. */
export function openapiPath(path: string): string {
  return path.replace(/[:*]([A-Za-z_]\w*)/g, '{$1}');
}
