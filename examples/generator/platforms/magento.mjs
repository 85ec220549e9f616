/** The product CSV of Magento 2: configurable products after their simple ones, and rows of a store view in German. */
import { HTML, importBody, tableText } from './table.mjs';

const HEADER = [
  ...['sku', 'store_view_code', 'attribute_set_code', 'product_type', 'categories', 'product_websites', 'name'],
  ...['description', 'short_description', 'weight', 'product_online', 'tax_class_name', 'visibility', 'price'],
  ...['special_price', 'special_price_from_date', 'special_price_to_date', 'url_key', 'meta_title', 'meta_keywords'],
  ...['meta_description', 'base_image', 'base_image_label', 'small_image', 'thumbnail_image', 'created_at'],
  ...['updated_at', 'additional_attributes', 'qty', 'out_of_stock_qty', 'allow_backorders', 'is_in_stock'],
  ...['related_skus', 'crosssell_skus', 'upsell_skus', 'additional_images', 'additional_image_labels'],
  ...['configurable_variations', 'configurable_variation_labels'],
];

export function magentoFiles(goods) {
  const paths = goods.map((good) => ['Default Category', ...good.path].join('->'));
  return {
    'magento.csv': tableText(HEADER, goods.flatMap(rowsOf)),
    'magento.import.json': importBody('magento', ATTRIBUTES, paths),
  };
}

function rowsOf(good) {
  const isSimple = Object.keys(good.options).length === 0;
  const simples = good.variants.map((variant) => ({
    ...cellsOf(good, { sku: variant.sku, ...(isSimple ? {} : { suffix: Object.values(variant.values).join('-') }) }),
    product_type: 'simple',
    weight: (good.grams / 1_000).toFixed(4),
    visibility: isSimple ? 'Catalog, Search' : 'Not Visible Individually',
    price: variant.price.toFixed(4),
    ...(good.compareAt === null ? {} : special(good, variant)),
    additional_attributes: additional(good, variant),
    qty: variant.stock.toFixed(4),
  }));
  const german = {
    sku: isSimple ? good.variants[0].sku : good.code,
    store_view_code: 'de',
    name: `${good.title} (DE)`,
  };
  if (isSimple) return [...simples, german];
  const variations = good.variants.map(({ sku, values }) => `sku=${sku},${pairs(values).join(',')}`);
  const configurable = {
    ...cellsOf(good, { sku: good.code }),
    product_type: 'configurable',
    visibility: 'Catalog, Search',
    additional_attributes: `brand=${good.brand}`,
    qty: '0.0000',
    configurable_variations: variations.join('|'),
    configurable_variation_labels: Object.keys(good.options)
      .map((name) => `${name.toLowerCase()}=${name}`)
      .join(','),
  };
  return [...simples, configurable, german];
}

function cellsOf(good, { sku, suffix }) {
  const [image, ...others] = good.images;
  return {
    sku,
    attribute_set_code: good.path[0] === 'Clothing' ? 'Clothing' : 'Default',
    categories: [['Default Category', ...good.path].join('/'), 'Default Category/Collections'].join(','),
    product_websites: 'base',
    name: suffix === undefined ? good.title : `${good.title}-${suffix}`,
    description: good.html,
    short_description: `<p>${good.title}</p>`,
    product_online: good.active ? 1 : 2,
    tax_class_name: 'Taxable Goods',
    url_key: suffix === undefined ? good.handle : `${good.handle}-${suffix.toLowerCase().replaceAll(' ', '-')}`,
    meta_title: good.title,
    meta_description: good.text,
    base_image: relative(image),
    small_image: relative(image),
    thumbnail_image: relative(image),
    created_at: '1/5/26, 9:30 AM',
    updated_at: '2/1/26, 4:05 PM',
    allow_backorders: 0,
    is_in_stock: 1,
    additional_images: others.map(relative).join(','),
  };
}

function special(good, variant) {
  return { special_price: (variant.price * 0.9).toFixed(4), special_price_from_date: `${good.released} 00:00:00` };
}

function additional({ brand }, { values, barcode }) {
  return [`brand=${brand}`, `ean=${barcode}`, ...pairs(values)].join(',');
}

function pairs(values) {
  return Object.entries(values).map(([name, value]) => `${name.toLowerCase()}=${value}`);
}

function relative(image) {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return `/${name[0]}/${name[1]}/${name}`;
}

const ATTRIBUTES = {
  'Product Type': 'TEXT',
  'Attribute Set': 'TEXT',
  Title: 'TEXT',
  Description: HTML,
  'Short Description': HTML,
  Active: 'BOOLEAN',
  Visibility: 'TEXT',
  Price: 'DECIMAL',
  'Special Price': 'DECIMAL',
  'Special Price From': 'DATETIME',
  Weight: 'DECIMAL',
  Stock: 'INTEGER',
  'URL Key': 'TEXT',
  'SEO Title': 'TEXT',
  'SEO Description': 'TEXT',
  Image: 'TEXT',
  Images: 'TEXT',
  'Additional Attributes': 'TEXT',
  Variations: 'TEXT',
};
