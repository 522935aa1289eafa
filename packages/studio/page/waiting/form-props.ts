import type { AnswerRequest } from '../../src/wire.ts'

/** The props of every answer form. */
export interface FormProps {
  isBusy: boolean
  onAnswer: (answer: AnswerRequest) => void
}
