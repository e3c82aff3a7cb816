#include <stdio.h>

int main(void) {
	puts("it runs");
	return 0;
}
