/** A column of a sheet that we write. */

export interface XlsxColumn {
  /** The first cell of the column. */
  readonly title: string;
  /** `text`: what is typed into the column stays text, including leading zeros. `date`: it is shown as a day. */
  readonly format?: 'text' | 'date' | 'general';
  /** Marks the title as that of a column which must be filled in. */
  readonly mandatory?: boolean;
  /** The choices in a cell; another value causes a warning, but is accepted. */
  readonly choices?: readonly (string | number)[];
}
