export { UnicodeNormalizer, type UnicodeNormalizerOptions } from './unicode-normalizer.ts'
