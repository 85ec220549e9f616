/** The CSV of Akeneo PIM: product models with what their variants have in common, and products. */
import { HTML, INHERITED, importBody, tableText } from './table.mjs';

const TEXTS = ['name-de_DE-ecommerce', 'name-en_US-ecommerce', 'description-de_DE-ecommerce'];
const SHARED = [...TEXTS, 'brand', 'price-EUR', 'price-USD', 'weight', 'weight-unit', 'release_date', 'image'];
const MODELS = ['code', 'family_variant', 'parent', 'categories', ...SHARED];
const PRODUCTS = ['sku', 'categories', 'enabled', 'family', 'groups', 'parent', ...SHARED, 'color', 'size', 'ean'];

const GERMAN = {
  'Rain Jacket': 'Regenjacke',
  'Down Vest': 'Daunenweste',
  'Merino Shirt': 'Merinoshirt',
  'Trekking Trousers': 'Trekkinghose',
  'Wool Beanie': 'Wollmütze',
  'Tent for Two': 'Zelt für zwei',
  'Sleeping Bag "Comfort"': 'Schlafsack „Komfort“',
  'Gas Stove': 'Gaskocher',
  'Titanium Mug, 450 ml': 'Titanbecher, 450 ml',
  'Head Torch': 'Stirnlampe',
};

export function akeneoFiles(goods) {
  const isModel = ({ options }) => Object.keys(options).length > 0;
  const models = goods.filter(isModel);
  const products = goods.flatMap((good) => good.variants.map((variant) => productRow(good, variant, isModel(good))));
  return {
    'akeneo-models.csv': tableText(MODELS, models.map(modelRow), ';'),
    'akeneo-models.import.json': importBody('akeneo-models', MODEL_ATTRIBUTES, models.map(familyVariantOf)),
    'akeneo.csv': tableText(PRODUCTS, products, ';'),
    'akeneo.import.json': importBody('akeneo', { ...MODEL_ATTRIBUTES, ...OWN_ATTRIBUTES }, goods.map(familyOf)),
  };
}

function familyOf({ path }) {
  return path[0].toLowerCase();
}

function familyVariantOf(good) {
  return `${familyOf(good)}_${Object.keys(good.options).join('_').toLowerCase()}`;
}

function categoriesOf({ path, tags }) {
  return [path.at(-1).toLowerCase().replaceAll(' ', '_'), ...(tags.includes('new') ? ['new_2026'] : [])].join(',');
}

function sharedCells(good) {
  return {
    categories: categoriesOf(good),
    'name-de_DE-ecommerce': GERMAN[good.title],
    'name-en_US-ecommerce': good.title,
    'description-de_DE-ecommerce': `<p>${GERMAN[good.title]}: leicht &amp; robust; für den Regen im Norden.</p>`,
    brand: good.brand.toLowerCase().replace(/[^a-z]+/g, '_'),
    weight: good.grams.toFixed(4),
    'weight-unit': 'GRAM',
    release_date: good.released,
    image: `files/${good.handle}/${good.handle}-1.jpg`,
  };
}

function modelRow(good) {
  return { code: good.handle.replaceAll('-', '_'), family_variant: familyVariantOf(good), ...sharedCells(good) };
}

function productRow(good, { sku, values, price, barcode }, hasModel) {
  return {
    ...(hasModel ? { categories: categoriesOf(good) } : sharedCells(good)),
    sku,
    enabled: good.active ? 1 : 0,
    family: familyOf(good),
    parent: hasModel ? good.handle.replaceAll('-', '_') : '',
    'price-EUR': price.toFixed(2),
    'price-USD': (price * 1.1).toFixed(2),
    color: values.Color?.toLowerCase().replaceAll(' ', '_'),
    size: values.Size?.toLowerCase(),
    ean: barcode,
  };
}

const MODEL_ATTRIBUTES = {
  Categories: 'TEXT',
  Title: INHERITED,
  Description: { ...HTML, validation: { inheritable: true } },
  Price: 'DECIMAL',
  Brand: INHERITED,
  Weight: { type: 'DECIMAL', validation: { inheritable: true } },
  'Weight Unit': INHERITED,
  'Release Date': { type: 'DATETIME', validation: { inheritable: true } },
  Image: INHERITED,
};

const OWN_ATTRIBUTES = { Active: 'BOOLEAN', Colour: 'TEXT', Size: 'TEXT', Barcode: 'TEXT' };
