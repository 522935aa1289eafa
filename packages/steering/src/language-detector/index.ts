export { type DetectedLanguage, detectLanguage } from './detect-language.ts'
export { LanguageDetector, type LanguageDetectorOptions, type LanguageEvent } from './language-detector.ts'
