export {
  StructuredOutput,
  type StructuredOutputEvent,
  type StructuredOutputOptions,
} from './structured-output.ts'
