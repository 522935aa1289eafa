export * from '@millrace/steering/language-detector'
