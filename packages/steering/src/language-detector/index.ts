export { type DetectedLanguage, detectLanguage } from './detect-language.ts'
export {
  LanguageDetector,
  type LanguageDetectorEvent,
  type LanguageDetectorOptions,
} from './language-detector.ts'
