export {
  type RepairEvent,
  StructuredOutput,
  type StructuredOutputProcessorOptions,
} from './structured-output.ts'
