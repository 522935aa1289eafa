import type { AnswerRequest } from '../../src/wire.ts'

/** What every form for an answer is given. */
export interface FormProps {
  isBusy: boolean
  onAnswer: (answer: AnswerRequest) => void
}
