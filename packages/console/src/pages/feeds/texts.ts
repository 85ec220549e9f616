/** Words that several pages of feeds use. */
import { textsOf } from '../../texts/texts.js';

export const useFeedText = textsOf('feeds', {
  title: { en: 'Feeds', de: 'Feeds' },
  back: { en: 'All feeds', de: 'Alle Feeds' },
  add: { en: 'Add a feed', de: 'Feed anlegen' },
  name: { en: 'Name', de: 'Name' },
  folder: { en: 'Folder', de: 'Ordner' },
  https: { en: 'Address (https)', de: 'Adresse (https)' },
  sftp: { en: 'SFTP server', de: 'SFTP-Server' },
  s3: { en: 'S3 bucket', de: 'S3-Bucket' },
  published: { en: 'Published file', de: 'Veröffentlichte Datei' },
  addDestination: { en: 'Send files', de: 'Dateien senden' },
  state: { en: 'State', de: 'Zustand' },
  nextRun: { en: 'Next run', de: 'Nächster Lauf' },
  lastRun: { en: 'Last run', de: 'Letzter Lauf' },
  onRequest: { en: 'on request', de: 'auf Anforderung' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  save: { en: 'Save', de: 'Speichern' },
  edit: { en: 'Edit', de: 'Bearbeiten' },
  ITEM_IMPORT: { en: 'Items', de: 'Artikel' },
  PRODUCT_IMPORT: { en: 'Items without variants', de: 'Artikel ohne Varianten' },
  ITEM_VARIANT_IMPORT: { en: 'Variants', de: 'Varianten' },
  BUNDLE_IMPORT: { en: 'Bundles', de: 'Sets' },
  ATTRIBUTE_IMPORT: { en: 'Attributes', de: 'Attribute' },
  CATEGORY_IMPORT: { en: 'Categories', de: 'Kategorien' },
});
