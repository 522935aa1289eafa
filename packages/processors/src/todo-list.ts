export * from '@millrace/steering/todo-list'
