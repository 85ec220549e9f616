/** The Markdown pages of the guide, and the parts that they are in. */

/** The folder with the pages of a part of the guide, and the address of the part. */
export const PARTS = [
  { folder: 'docs/guide', address: 'guide', title: 'Guide' },
  { folder: 'docs/use', address: 'guide/use', title: 'Reference' },
] as const;

/** The folder with the pictures of all parts, and its address. */
export const PICTURES = { folder: 'docs/pictures', address: 'guide/pictures' } as const;

export interface Source {
  /** The path of the Markdown file in the repository. */
  readonly file: string;
  /** Without a slash at its beginning: `guide/your-first-import`. */
  readonly address: string;
  readonly part: string;
  readonly title: string;
  readonly markdown: string;
}
