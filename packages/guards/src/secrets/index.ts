export type { Redaction } from '../guard/redaction.ts'
export { secretRecognizers } from './recognizers.ts'
export { SecretDetector, type SecretDetectorOptions } from './secret-detector.ts'
