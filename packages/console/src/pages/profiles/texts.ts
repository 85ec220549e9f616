/** What several pages of profiles say. */
import { textsOf } from '../../texts/texts.js';

export const useProfileText = textsOf('profiles', {
  title: { en: 'Import profiles', de: 'Importprofile' },
  back: { en: 'All profiles', de: 'Alle Profile' },
  ITEM_IMPORT: { en: 'items', de: 'Artikel' },
  BUNDLE_IMPORT: { en: 'bundles', de: 'Sets' },
  ATTRIBUTE_IMPORT: { en: 'attributes', de: 'Attribute' },
  CATEGORY_IMPORT: { en: 'categories', de: 'Kategorien' },
  version: { en: 'Version {version}', de: 'Version {version}' },
  shipped: { en: 'comes with Longshore', de: 'wird mitgeliefert' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  constant: { en: 'always “{value}”', de: 'immer „{value}“' },
  ignored: { en: 'Not imported', de: 'Nicht importieren' },
});
