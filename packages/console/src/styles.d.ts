/** Styles are bundled; they export nothing. */
declare module '*.css';
